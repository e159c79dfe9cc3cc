// Package output writes rendered objects, after all of them are found to be valid,
// as one stream or as files in a directory.
package output

import (
	"fmt"
	"io"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// Machines writes the objects of VMs, and of Jobs, as one stream.
func Machines(to io.Writer, format manifest.Format, rendered []render.Rendered) error {
	return stream(to, format, func(w *manifest.Writer) error { return render.Write(w, rendered...) })
}

// Objects writes objects as one stream.
func Objects(to io.Writer, format manifest.Format, objects []manifest.Object) error {
	return stream(to, format, func(w *manifest.Writer) error {
		for _, o := range objects {
			if err := w.Write(o.JSON); err != nil {
				return writing(err)
			}
		}
		return nil
	})
}

// Structs writes objects, each given as a struct of its kind.
func Structs(to io.Writer, format manifest.Format, objects ...any) error {
	return stream(to, format, func(w *manifest.Writer) error {
		for _, o := range objects {
			if err := writing(w.Encode(o)); err != nil {
				return err
			}
		}
		return nil
	})
}

// stream writes the objects that add writes to the Writer.
func stream(to io.Writer, format manifest.Format, add func(*manifest.Writer) error) error {
	w := manifest.NewWriter(to, format)
	if err := add(w); err != nil {
		return err
	}
	return writing(w.Close())
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing manifests: %w", err)
}
