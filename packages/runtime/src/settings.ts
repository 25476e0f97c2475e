/** Why a process will not start: every problem at once, each with its code and its fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ code, setting, message, fix }) => `${code} (${setting}): ${message} ${fix}`).join('\n'))
    this.problems = problems
  }
}

/** Each process has codes of its own. */
export type ConfigProblem<Code extends string = string> = {
  readonly code: Code
  /** The setting, or the file, at fault. Never its value. */
  readonly setting: string
  readonly message: string
  readonly fix: string
}
