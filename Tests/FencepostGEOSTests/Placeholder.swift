// Tests of this module follow.
