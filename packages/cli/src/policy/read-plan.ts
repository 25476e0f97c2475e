import type { Intent } from '@svc/tool-server'
import { readStoredPlan } from '@svc/tool-server/approvals'
import { readIntent, sessionIdleMs, type PolicyQuestion } from '@svc/tool-server/policy'
import { openOperations } from '../approvals/open-operations.ts'
import { readInputFile } from '../read-input-file.ts'

/**
 * What a plan asks of the policy: `plan` is the id of a stored one, or a JSON file that holds an intent, alone or as
 * `intent` beside `tool`, `principalId`, `spendUsdMicros` and `gasUsdMicros`. For a stored one what is spent already counts.
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
    const [intent, gasUsdMicros] = [intentOf(operation.intent, plan), gasOf(operation.plan)]
    return { tool, principalId, intent, spendUsdMicros, gasUsdMicros, used }
  } finally {
    await open.close()
  }
}

async function fromFile(path: string): Promise<PolicyQuestion> {
  const written = await readInputFile(path, 'a file with an intent, or the id of a stored plan')
  if (typeof written !== 'object' || written === null) throw new Error(`${path} holds no JSON object`)
  if (!('intent' in written)) {
    const intent = intentOf(JSON.stringify(written), path)
    return { tool: null, principalId: null, intent, spendUsdMicros: null, gasUsdMicros: null, used: null }
  }
  const { intent } = written
  return {
    tool: textOf(written, 'tool'),
    principalId: textOf(written, 'principalId'),
    intent: intentOf(typeof intent === 'string' ? intent : JSON.stringify(intent), path),
    spendUsdMicros: microsOf(written, 'spendUsdMicros'),
    gasUsdMicros: microsOf(written, 'gasUsdMicros'),
    used: null,
  }
}

function microsOf(written: object, name: string): bigint | null {
  const text = textOf(written, name)
  return text !== null && /^\d{1,30}$/.test(text) ? BigInt(text) : null
}

/** What the gas of a stored plan costs at worst, rounded up; `null` where it has no price, and in older plans. */
function gasOf(plan: string): bigint | null {
  try {
    const { gasCostAtMostUsd } = readStoredPlan(plan)
    return gasCostAtMostUsd === null ? null : BigInt(Math.ceil(gasCostAtMostUsd * 1e6))
  } catch {
    return null
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
