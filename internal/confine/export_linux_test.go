package confine

// Raced is raced, for the tests.
const Raced = raced
