/** The words of a command are off; the message names the mend. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
