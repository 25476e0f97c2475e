import type { Intent } from '@svc/tool-server'
import { readIntent, sessionIdleMs, type PolicyQuestion } from '@svc/tool-server/policy'
import { openOperations } from '../approvals/open-operations.ts'
import { readInputFile } from '../read-input-file.ts'

/**
 * What a plan asks of the policy: `plan` is the id of a stored one, or a JSON file that holds an intent, alone or as
 * `intent` beside `tool`, `principalId` and `spendUsdMicros`. For a stored one what is spent already counts.
 */
export async function readPlan(
  plan: string,
  dataDir: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PolicyQuestion> {
  if (plan.endsWith('.json') || plan.includes('/')) return fromFile(plan)
  const open = await openOperations(dataDir, environment)
  try {
    const operation = await open.operations.byId(plan)
    if (operation === null) throw new Error(`there is no plan ${plan.slice(0, 128)}; a file is named with .json`)
    const { principalId, tool, spendUsdMicros } = operation
    const usage = await open.usage(principalId, { sessionIdleMs })
    const used = {
      session: usage.sessionUsdMicros,
      daily: usage.dailyUsdMicros,
      principalDaily: usage.principalDailyUsdMicros,
    }
    return { tool, principalId, intent: intentOf(operation.intent, plan), spendUsdMicros, used }
  } finally {
    await open.close()
  }
}

async function fromFile(path: string): Promise<PolicyQuestion> {
  const written = await readInputFile(path, 'a file with an intent, or the id of a stored plan')
  if (typeof written !== 'object' || written === null) throw new Error(`${path} holds no JSON object`)
  if (!('intent' in written)) {
    const intent = intentOf(JSON.stringify(written), path)
    return { tool: null, principalId: null, intent, spendUsdMicros: null, used: null }
  }
  const { intent } = written
  const spend = textOf(written, 'spendUsdMicros')
  return {
    tool: textOf(written, 'tool'),
    principalId: textOf(written, 'principalId'),
    intent: intentOf(typeof intent === 'string' ? intent : JSON.stringify(intent), path),
    spendUsdMicros: spend !== null && /^\d{1,30}$/.test(spend) ? BigInt(spend) : null,
    used: null,
  }
}

function textOf(written: object, name: string): string | null {
  const value: unknown = Reflect.get(written, name)
  return typeof value === 'string' ? value : null
}

function intentOf(text: string, from: string): Intent {
  try {
    return readIntent(text)
  } catch (cause) {
    throw new Error(`${from} holds no intent: ${cause instanceof Error ? cause.message : 'unreadable'}`, { cause })
  }
}
