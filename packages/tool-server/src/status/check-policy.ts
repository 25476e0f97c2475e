import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config-shape.ts'
import { loadPolicy } from '@svc/engine'
import { ToolError } from '@svc/amm'
import type { SetupReport } from '../tool.ts'

/** Whether the operator's policy can be read, and where it is laxer than the defaults of production. */
export async function checkPolicy(config: Config): Promise<SetupReport['checks'][number]> {
  const id = 'policy'
  const path = join(config.dataDir, 'policy.json')
  try {
    const policy = await loadPolicy(path, config)
    const exists = await stat(path).then(
      () => true,
      () => false,
    )
    if (config.production && policy.allowlist.mode === 'lenient') {
      const fix = 'Set allowlist.mode to "strict" in policy.json.'
      return { id, status: 'warn', message: 'The policy lets tokens through that nobody listed.', fix }
    }
    const message = exists ? 'policy.json is in order.' : 'There is no policy.json, so the defaults hold.'
    return { id, status: 'pass', message, fix: null }
  } catch (error) {
    const known = error instanceof ToolError
    const message = known ? error.message : 'policy.json cannot be read.'
    return { id, status: 'fail', message, fix: known ? error.suggestion : 'Give this user the file, mode 0600.' }
  }
}
