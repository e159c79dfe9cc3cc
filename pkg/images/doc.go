// Package images lists the images of a fleet's disks with their versions, compares
// them with the versions in a cluster, and writes newer versions to the files of
// the fleet.
//
// An image's version is the value of `version` next to the source or, if it is not
// set, the digest in the reference. [Versions] defines the version in a cluster.
package images
