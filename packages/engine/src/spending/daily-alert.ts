import { join } from 'node:path'
import { createMutex } from '@svc/wallet/core'
import type { AuditLog } from '../audit/audit.ts'
import type { PipelineLog } from '../call/refusal.ts'
import type { Policy } from '../policy/policy.ts'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import { isDailyAlert } from './spend-limit.ts'
import { dailyAlertPct, limitsOf } from './budgets.ts'
import { usdText } from '../call/amounts.ts'

/**
 * Announces once, in the log and in the audit log, that the day's sum has reached its mark; again only after it has been
 * well below. So a spend that settles a little lower than it was reserved, two at the same moment, and a restart repeat
 * nothing. That it was announced stands in `daily-alert.json`, written after the line: a crash between the two repeats it
 * and loses none. Never rejects: what cannot be recorded is logged, and announced with the next spend.
 */
export function createDailyAlert(options: DailyAlertOptions): DailyAlert {
  const { dataDir, audit, log } = options
  const path = join(dataDir, 'daily-alert.json')
  let announced: boolean | null = null
  const inTurn = createMutex()

  const look = async ({ sumUsdMicros, policy, requestId }: DailySum): Promise<void> => {
    announced ??= (await readFileIfPresent(path)) === announcedText
    const isAbove = isDailyAlert(sumUsdMicros, policy)
    if (isAbove === announced || (announced && !isWellBelow(sumUsdMicros, policy))) return
    if (isAbove) {
      const facts = { requestId, spentUsd: usdText(sumUsdMicros), markPct: `${dailyAlertPct}` }
      await audit.append({ event: 'spend.alert', ...facts })
      log.warn('spend.alert', facts)
    }
    await replaceFileDurably(path, isAbove ? announcedText : quietText)
    announced = isAbove
  }

  return Object.freeze({
    look: (sum: DailySum) =>
      inTurn(() => look(sum)).catch((error: unknown) =>
        log.error('spend.alert-unrecorded', { requestId: sum.requestId, error }),
      ),
  })
}

export type DailyAlert = {
  /** Looks at the day's sum as a reservation has just made it. */
  look(sum: DailySum): Promise<void>
}

export type DailyAlertOptions = {
  readonly dataDir: string
  readonly audit: Pick<AuditLog, 'append'>
  readonly log: Pick<PipelineLog, 'warn' | 'error'>
}

type DailySum = { readonly sumUsdMicros: bigint; readonly policy: Policy; readonly requestId: string }

const announcedText = '{"announced":true}'
const quietText = '{"announced":false}'

/** The announcement is due again once the sum was below this share of the limit. */
const quietPct = 70n

function isWellBelow(sumUsdMicros: bigint, policy: Policy): boolean {
  return sumUsdMicros * 100n < limitsOf(policy).daily * quietPct
}
