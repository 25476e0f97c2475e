/**
 * What is thrown where every version has been told apart. Its argument is `never`, so a version that is added is a fault of each such place for the
 * compiler, and none is taken for another.
 */
export function unknownVersion(version: never): TypeError {
  return new TypeError(`There is no version ${String(version)} here.`)
}
