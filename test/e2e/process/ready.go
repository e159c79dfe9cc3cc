package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
)

// Listens returns a function that checks that something accepts connections at
// the address.
func Listens(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	}
}

// Answers returns a function that checks that a GET of the URL succeeds.
func Answers(client *http.Client, url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			err = fmt.Errorf("GET %s: %s", url, response.Status)
		}
		return errors.Join(err, response.Body.Close())
	}
}

// Exists returns a function that checks that there is a file at the path.
func Exists(path string) func(context.Context) error {
	return func(context.Context) error {
		_, err := os.Stat(path)
		return err
	}
}
