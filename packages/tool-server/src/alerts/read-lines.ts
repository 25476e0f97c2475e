import type { AuditEvent } from '@svc/engine'
import { alertThresholds } from './alert-table.ts'

/** What a `tx.settled` line says that a write moved, in US dollars: what left for good or into a position, and what came home. */
export function movedUsd(event: AuditEvent): { readonly leftUsd: number; readonly homeUsd: number } {
  return { leftUsd: usdOf(event['spentUsd']), homeUsd: usdOf(event['homeUsd']) }
}

/** Whether what a `tx.settled` line says that a write moved is large against the daily limit. */
export function isLarge(event: AuditEvent, dailyLimitUsd: number): boolean {
  const { leftUsd, homeUsd } = movedUsd(event)
  return isShare(Math.max(leftUsd, homeUsd), alertThresholds.largeWithdrawal.ofDailyLimit, dailyLimitUsd)
}

/** Whether it is at least that share of the daily limit. Of a limit of 0, which lets nothing go, anything would be, and nothing says much. */
export function isShare(usd: number, share: number, dailyLimitUsd: number): boolean {
  return dailyLimitUsd > 0 && usd >= share * dailyLimitUsd
}

/** A decimal text as a number; 0 for whatever is none. */
export function usdOf(text: unknown): number {
  const usd = Number(text)
  return typeof text === 'string' && Number.isFinite(usd) && usd > 0 ? usd : 0
}

/** Whether a `tx.refused` line says that the policy does not list who is called, paid or approved. */
export function isUnknownRecipient({ code }: AuditEvent): boolean {
  return typeof code === 'string' && unknownRecipientCodes.has(code)
}

const unknownRecipientCodes: ReadonlySet<string> = new Set([
  'CONTRACT_NOT_ALLOWED',
  'RECIPIENT_NOT_ALLOWED',
  'SPENDER_NOT_ALLOWED',
])
