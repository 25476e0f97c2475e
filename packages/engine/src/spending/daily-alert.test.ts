import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDailyAlert } from './daily-alert.ts'
import { parsePolicy } from '../policy/policy.ts'

describe('the alert at 80 percent of the day', () => {
  const policy = parsePolicy(
    { limitsUsd: { perTransaction: '1', perSession: '1', daily: '1000' } },
    { production: false },
  )
  const usd = (amount: number) => ({ sumUsdMicros: BigInt(amount) * 1_000_000n, policy, requestId: `at ${amount}` })
  const open = (dataDir = mkdtempSync(join(tmpdir(), 'daily-alert-'))) => {
    const lines: unknown[] = []
    const errors: string[] = []
    let broken = false
    const start = () =>
      createDailyAlert({
        dataDir,
        audit: {
          append: async (event) => {
            if (broken) throw new Error('no space left')
            lines.push(event['spentUsd'])
          },
        },
        log: { warn: () => {}, error: (event) => void errors.push(event) },
      })
    return { lines, errors, start, breakAudit: (yes: boolean) => void (broken = yes) }
  }

  it('comes once, at the mark', async () => {
    const { lines, start } = open()
    const alert = start()
    for (const sum of [100, 799, 800, 801, 950]) await alert.look(usd(sum))
    expect(lines).toEqual(['800'])
  })

  it('comes once for spends at the same moment', async () => {
    const { lines, start } = open()
    const alert = start()
    await Promise.all([usd(820), usd(850), usd(900)].map((sum) => alert.look(sum)))
    expect(lines).toEqual(['820'])
  })

  it('does not come again when a spend settles lower, or after a restart', async () => {
    const { lines, start } = open()
    await start().look(usd(810))
    const restarted = start()
    for (const sum of [790, 820, 700, 900]) await restarted.look(usd(sum))
    expect(lines).toEqual(['810'])
  })

  it('comes again after the day was well below', async () => {
    const { lines, start } = open()
    const alert = start()
    for (const sum of [810, 699, 800]) await alert.look(usd(sum))
    expect(lines).toEqual(['810', '800'])
    const restarted = start()
    for (const sum of [100, 805]) await restarted.look(usd(sum))
    expect(lines).toEqual(['810', '800', '805'])
  })

  it('comes with the next spend when it could not be recorded', async () => {
    const { lines, errors, start, breakAudit } = open()
    const alert = start()
    breakAudit(true)
    await alert.look(usd(810))
    expect(errors).toEqual(['spend.alert-unrecorded'])
    breakAudit(false)
    await alert.look(usd(815))
    expect(lines).toEqual(['815'])
  })
})
