import type { Pause, SigningState } from '@svc/engine/switches'
import { printableText } from './printable-text.ts'

/** A sentence for each of them that stops signing, with how to go on; none while nothing does. */
export function stopSentences({ pause, breaker }: SigningState, dataDir: string): readonly string[] {
  const but = breaker.stops === 'all-but-ways-home' ? ', but for what only brings funds home' : ''
  return [
    ...(pause === null ? [] : [`Signing is paused ${pauseText(pause)}. Go on with: svc resume --data-dir ${dataDir}`]),
    ...(breaker.open
      ? [
          `Signing is stopped${but}: the circuit breaker is open since ${breaker.since} (${printableText(breaker.cause ?? 'no cause is written down')}). Find out why, then: svc resume --rearm --data-dir ${dataDir}`,
        ]
      : []),
  ]
}

/** For example `since 2026-01-31T12:00:00.000Z by operator:ada, because "odd transfers"`. */
export function pauseText({ since, by, reason }: Pause): string {
  const who = by === null ? '' : ` by ${printableText(by)}`
  return `since ${since}${who}, ${reason === null ? 'no reason given' : `because "${printableText(reason)}"`}`
}
