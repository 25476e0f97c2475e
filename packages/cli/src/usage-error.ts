/** The words of a command are off; the message names the fix. With `seeHelp` the help of the command is pointed at. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly seeHelp: boolean

  constructor(message: string, { seeHelp = false }: { readonly seeHelp?: boolean } = {}) {
    super(message)
    this.seeHelp = seeHelp
  }
}
