import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { setupCheckResult } from '../../tool-context.ts'

export const checkSetupHealth = readTool({
  name: 'check_setup_health',
  title: 'Setup health',
  description:
    "Checks this server's setup: profile, wallet, endpoints, policy, storage, and says how to fix what is wrong. Use it when tools fail for configuration.",
  scope: 'read:portfolio',
  input: z.strictObject({ verbose: z.boolean().default(false).describe('Also the checks that pass') }),
  output: z.object({
    ok: z.boolean(),
    profile: z.string(),
    version: z.string(),
    passed: z.int(),
    checks: z.array(setupCheckResult),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async (input, context) => {
  const report = await context.status.setup()
  return {
    ok: report.checks.every((check) => check.status !== 'fail'),
    profile: report.profile,
    version: report.version,
    passed: report.checks.filter((check) => check.status === 'pass').length,
    checks: report.checks.filter((check) => input.verbose || check.status !== 'pass'),
    timestamp: new Date(context.now()).toISOString(),
    source: 'config',
  }
})
