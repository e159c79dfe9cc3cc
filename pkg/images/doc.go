// Package images lists the images that a fleet's disks come from with their
// versions, compares them with those that a cluster has, and writes newer
// versions into the files of the fleet.
//
// A version is what is written under `version` beside the source; where there is
// none, the digest in the reference. What counts as a cluster's version is said
// at [Versions].
package images
