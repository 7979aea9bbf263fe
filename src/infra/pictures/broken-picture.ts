/** A file that is not what it says it is. */
export class BrokenPicture extends Error {}

/** Known before its pixels are unpacked. */
export class WrongSide extends Error {}
