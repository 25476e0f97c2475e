/** Upper bound of the number of bits of a value of at least 0, exact to the hexadecimal digit (0 to 3 bits above the true length). */
export function bitLength(value: bigint): number {
  return value.toString(16).length * 4
}
