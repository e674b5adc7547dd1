// Cargo wants a package to have a source; this one only names C libraries.
