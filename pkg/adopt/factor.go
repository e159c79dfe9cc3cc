package adopt

func (w *work) factor() {}
