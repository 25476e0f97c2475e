/** Why the service will not start: every problem at once, each with its code and its mend. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ code, setting, message, fix }) => `${code} (${setting}): ${message} ${fix}`).join('\n'))
    this.problems = problems
  }
}

export type ConfigProblem = {
  readonly code: ConfigCode
  /** The setting at fault, never its value. */
  readonly setting: string
  readonly message: string
  readonly fix: string
}

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'SETTING_UNKNOWN'
  | 'SETTING_UNUSED'
  | 'CHAINS_FILE_INVALID'
  | 'PLAINTEXT_LISTEN'
  | 'PROXY_NOT_NAMED'
  | 'TLS_FILE_INVALID'
  | 'DATA_DIR_INVALID'
