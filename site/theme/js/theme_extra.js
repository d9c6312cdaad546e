// The theme's template asks for this file, and Debian's package of the theme does not have it. Nothing is to be added.
