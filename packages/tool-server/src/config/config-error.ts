/** Why the server will not start. Every problem at once, each with its code and its mend. */
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
  /** The setting, or the file, at fault. Never its value. */
  readonly setting: string
  readonly message: string
  readonly fix: string
}

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'CHAINS_FILE_INVALID'
  | 'ENV_FILE_UNSAFE'
  | 'ENV_FILE_INVALID'
  | 'LOCAL_KEY_IN_PRODUCTION'
  | 'PLAINTEXT_LISTEN'
  | 'AUTH_TOKEN_WEAK'
  | 'API_KEY_WEAK'
  | 'TLS_UNVERIFIED_UPSTREAM'
  | 'MANAGED_WALLET_UNAVAILABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'DATA_DIR_UNSAFE'
  | 'POLICY_INVALID'
