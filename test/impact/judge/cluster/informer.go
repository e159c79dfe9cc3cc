package cluster

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/cache"
)

// informer is an informer that receives the current objects and passes them
// immediately to the registered controllers. Nothing runs in the background.
type informer struct {
	cache.SharedIndexInformer // nil, because only the methods below are called

	indexer  cache.Indexer
	handlers []cache.ResourceEventHandler
}

func newInformer(indexers cache.Indexers) *informer {
	all := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	for name, index := range indexers {
		all[name] = index
	}
	return &informer{indexer: cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, all)}
}

func (i *informer) GetStore() cache.Store     { return i.indexer }
func (i *informer) GetIndexer() cache.Indexer { return i.indexer }
func (i *informer) HasSynced() bool           { return true }

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return nil, nil
}

// set makes exactly these objects known to the informer.
func (i *informer) set(objects []any) error {
	gone := map[string]any{}
	for _, known := range i.indexer.List() {
		key, err := cache.MetaNamespaceKeyFunc(known)
		if err != nil {
			return err
		}
		gone[key] = known
	}
	for _, object := range objects {
		key, err := cache.MetaNamespaceKeyFunc(object)
		if err != nil {
			return err
		}
		old := gone[key]
		delete(gone, key)
		if err := i.put(old, object); err != nil {
			return err
		}
	}
	for _, old := range gone {
		if err := i.indexer.Delete(old); err != nil {
			return err
		}
		for _, handler := range i.handlers {
			handler.OnDelete(old)
		}
	}
	return nil
}

func (i *informer) put(old, object any) error {
	if old != nil && equality.Semantic.DeepEqual(old, object) {
		return nil
	}
	if err := i.indexer.Update(object); err != nil {
		return err
	}
	for _, handler := range i.handlers {
		if old == nil {
			handler.OnAdd(object, false)
		} else {
			handler.OnUpdate(old, object)
		}
	}
	return nil
}
