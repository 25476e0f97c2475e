import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { connect } from '../clients.fixture.ts'
import { readyLine, runToEnd, runUp } from '../processes.fixture.ts'

const timeout = 300_000

let directory: string
const opened: (() => unknown)[] = []
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))))
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  rmSync(directory, { recursive: true, force: true })
})

const svc = (...[name, ...words]: Parameters<typeof callCommand>[0]) =>
  callCommand([name, ...words, '--data-dir', directory])

/** What a tool answered, or the envelope of its error. */
async function call(client: Client, name: string, input: Record<string, unknown>) {
  const { isError, structuredContent, _meta } = await client.callTool({ name, arguments: input })
  return isError === true ? _meta?.['svc/error'] : structuredContent
}

const swap = { chain: 'local', tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }

describe('svc pause and svc resume', { timeout }, () => {
  it('stop and start signing of the running server, which records who did it', async () => {
    const world = runUp(['--data-dir', directory])
    opened.push(() => world.end())
    const client = await connect(await readyLine(world))
    opened.push(() => client.close())
    const events = () =>
      readFileSync(join(directory, 'audit.jsonl'), 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
    const recorded = async (event: string) => {
      for (const until = performance.now() + 60_000; performance.now() < until; await sleep(50)) {
        const found = events().find((line) => line['event'] === event)
        if (found !== undefined) return found
      }
      throw new Error(`${event} was not recorded`)
    }

    const paused = await runToEnd(['pause', '--reason', 'odd \u202E transfers', '--data-dir', directory])
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Paused: nothing more is signed/) })
    expect(paused.stdout).toContain(`svc resume --data-dir ${directory}\n`)
    expect(await call(client, 'execute_swap', swap)).toMatchObject({ code: 'SERVER_PAUSED' })
    const by = `operator:${userInfo().username}`
    expect(await recorded('pause.on')).toMatchObject({ by, reason: 'odd \u202E transfers' })
    const status = await call(client, 'check_safety_status', {})
    expect(status).toMatchObject({ paused: true, pause: { reason: 'odd \\u202e transfers' } })
    const again = await svc('pause', '--reason', 'a later thought')
    expect(again.stdout).toMatch(
      /^Paused already, since 20\S+ by operator:\S+, because "odd \\u202e transfers": nothing more is signed/,
    )
    expect(again.stdout).toContain('The new reason is not written down')
    expect((await svc('pause')).stdout).not.toContain('The new reason')
    expect(await call(client, 'check_safety_status', {})).toMatchObject({ pause: { reason: 'odd \\u202e transfers' } })

    expect(await runToEnd(['resume', '--data-dir', directory])).toMatchObject({ code: 0, stdout: 'Resumed.\n' })
    expect(await recorded('pause.off')).toMatchObject({ by })
    expect(await call(client, 'execute_swap', swap)).toHaveProperty('txHash')
    for (const reason of ['first', 'second']) {
      await svc('pause', '--reason', reason)
      await svc('resume')
    }
    const moves = () =>
      events().flatMap(({ event, reason = null }) =>
        String(event).startsWith('pause.') ? [`${String(event)} ${String(reason)}`] : [],
      )
    const both = ['pause.on first', 'pause.off null', 'pause.on second', 'pause.off null']
    await expect.poll(() => moves().slice(2)).toEqual(both)

    writeFileSync(join(directory, 'breaker.json'), 'garbage')
    const still = await svc('resume')
    expect(still).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`svc resume --rearm --data-dir ${directory}\n`),
    })
    expect(await call(client, 'execute_swap', swap)).toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    await recorded('breaker.open')
    expect(await svc('resume', '--rearm')).toMatchObject({ code: 0 })
    expect(await recorded('breaker.rearmed')).toMatchObject({ by })
    const once = await svc('resume', '--rearm')
    expect(once).toMatchObject({ code: 0, stdout: 'Nothing was paused.\nThe circuit breaker was not open.\n' })
    expect(await call(client, 'execute_swap', swap)).toHaveProperty('txHash')

    const failed = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'five', openedBy: 'failures' }
    writeFileSync(join(directory, 'breaker.json'), JSON.stringify(failed))
    expect((await svc('resume')).stdout).toContain(
      'Signing stays stopped, but for what only brings funds home, by the circuit breaker, open since 2026',
    )
  })

  it('refuse a directory in which no server has run, and flags they do not know', async () => {
    mkdirSync(join(directory, 'photos'))
    const strange = await callCommand(['pause', '--data-dir', join(directory, 'photos')])
    expect(strange).toMatchObject({ code: 1, stderr: expect.stringContaining('No server has run in') })
    const missing = await callCommand(['resume', '--data-dir', join(directory, 'nowhere')])
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') })
    expect(await svc('pause', '--now')).toMatchObject({ code: 2 })
  })
})
