package images

// Row is an image in a printed list, without secrets.
type Row struct {
	Kind    string `json:"kind"`
	Source  string `json:"source"` // masked
	Version string `json:"version,omitempty"`
	Current string `json:"current,omitempty"`
	Status  Status `json:"status,omitempty"`
	VMs     int    `json:"vms"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// Rows returns the rows of the images; never nil.
func Rows(list []Image) []Row {
	rows := make([]Row, 0, len(list))
	for _, i := range list {
		rows = append(rows, Row{
			i.Kind, i.Masked(), i.Version, i.Current, i.Status, i.VMs, i.Pos.File, i.Pos.Line, i.Pos.Col,
		})
	}
	return rows
}

// CountBehind returns the number of images that are behind.
func CountBehind(list []Image) int {
	n := 0
	for _, i := range list {
		if i.Status == Behind {
			n++
		}
	}
	return n
}
