package svgtext_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/internal/svgtext"
)

const text = "$ show\n\x1b[1;31mdata loss\x1b[0m: a <b> & \"c\" → d\n\n  \x1b[2mindented\x1b[0m  apart\n"

func TestPicture(t *testing.T) {
	picture, err := svgtext.Picture(text)
	require.NoError(t, err)
	golden.Equal(t, "testdata/text.svg", picture)
	again, err := svgtext.Picture(text)
	require.NoError(t, err)
	require.Equal(t, picture, again)
}

// TestPictureIsXML checks that the picture is well-formed and makes no requests.
func TestPictureIsXML(t *testing.T) {
	picture, err := svgtext.Picture(text)
	require.NoError(t, err)
	d := xml.NewDecoder(strings.NewReader(picture))
	for err == nil {
		_, err = d.Token()
	}
	require.ErrorIs(t, err, io.EOF)
	require.NotContains(t, strings.Replace(picture, "http://www.w3.org/2000/svg", "", 1), "http")
}

func TestUnknownSequence(t *testing.T) {
	for _, text := range []string{"a\n\x1b[95mb", "a\n\x1b[2Jb"} {
		_, err := svgtext.Picture(text)
		require.ErrorContains(t, err, "line 2: unknown escape sequence")
	}
}
