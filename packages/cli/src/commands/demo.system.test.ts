import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { holdExcerpt, partsOf } from '../excerpts.fixture.ts'
import { goneAfter, installedProgram, program, run, type Run } from '../processes.fixture.ts'

const timeout = 300_000

const opened: Run[] = []
afterEach(async () => {
  for (const demo of opened.splice(0)) await demo.end()
})

function start(flags: readonly string[] = [], file = program): Run {
  const demo = run(process.execPath, [file, 'demo', ...flags])
  opened.push(demo)
  return demo
}

describe('svc demo', { timeout }, () => {
  it('tells its story to the end, for people, and leaves nothing', async () => {
    const demo = start([], installedProgram)
    expect(await failureOf(demo)).toBeNull()
    const story = demo.printed.stdout
    const chapters = [
      'Get an identity',
      'Find the pool',
      'Ask the price',
      'Add liquidity',
      'Let others trade',
      'Compound the fees',
      'Collect the fees',
    ]
    for (const [i, title] of [
      ...chapters,
      'Swap',
      'Swap by an order',
      'Use a vault',
      'Move to another chain',
      'Move the range',
      'Harvest',
      'Be refused',
      'Leave, and count',
      'Proof',
    ].entries()) {
      expect(story).toContain(`\n${i + 1}. ${title}\n`)
    }
    expect(story).toContain('for this chain alone: 50,000 USD a transaction, 100,000 a session, 250,000 a day')
    expect(story).toContain('and the wallet sent no others.\n')
    expect(story).toMatch(
      /identity +84532:0, in 0x.*\n +chain id +84532 is that of base-sepolia, a public test network/,
    )
    expect(story).toContain('at the gateway says: "Demo Keeper. Keeps a position in range."')
    expect(new Set(story.match(/0x[0-9a-f]{64}/g)).size).toBeGreaterThanOrEqual(7)
    // A hash in full and the longest name of a tool.
    expect(story.split('\n').filter((line) => line.length > 114)).toEqual([])
    expect(story).not.toMatch(/[{}]|undefined|NaN|null/)
    expect(story).not.toContain('\u001B')
    // Others traded while the agent acted, which the position was paid for.
    const [first = 0, last = 0] = [...story.matchAll(/^ {5}(\d+) trades /gm)]
      .map(([, trades]) => Number(trades))
      .slice(-2)
    expect(last).toBeGreaterThan(first)
    expect(story).toMatch(/\$\d+\.\d\d arrived/)
    const shown = [
      /^ {3}agent > add_liquidity .*\n +idempotencyKey[^]*?\n {5}checked .*\n/m,
      /^ {5}\d+ trades .*\n(?=\n)/m,
      /^ {3}agent > compound_fees [^]*?\n(?=\n)/m,
      /^ {3}agent > collect_fees [^]*?\n(?=\n)/m,
      /^ {3}agent > submit_uniswapx_order .*\n/m,
      /^ {5}filled: .*\n/m,
      /^ {3}agent > vault_deposit [^]*?\n(?=\n)/m,
      /^ {3}agent > vault_withdraw [^]*?\n(?=\n)/m,
      /^ {3}agent > submit_cross_chain_intent [^]*?\n(?=\n)/m,
      /^ {5}filled {7}.* came in .*\n {5}after .*\n/m,
      /^ {3}agent > rebalance_position [^]*?\n(?=\n)/m,
      /^ {3}agent > harvest_rewards [^]*?\n(?=\n)/m,
      /^ {3}agent > execute_swap .*amount=40\n[^]*?\n(?=\n)/m,
      /^All \d+ transactions .*\n/m,
    ]
    holdExcerpt({ page: 'docs/demo.md', name: 'demo' }, partsOf(withoutRetries(story), shown))
    expect(demo.printed.stderr).toBe('')
    await goneAfter(demo)
    expect(demo.leftFiles()).toEqual([])
  })

  it('shows what stops an agent that tries to drain the wallet', async () => {
    const demo = start(['--hostile'])
    expect(await failureOf(demo)).toBeNull()
    const story = demo.printed.stdout
    const [, attempts = '', stopped] = /^(\d+) attempts, (\d+) stopped\. Nothing reached/m.exec(story) ?? []
    expect(stopped).toBe(attempts)
    const shown = [
      /^\d+\. Close the position, pay a stranger\n[^]*?\n(?=\n\d+\. )/m,
      /^\d+\. Push the pool, then buy in it\n[^]*?\n(?=\n\d+\. )/m,
      /^\d+ attempts, .*\n/m,
    ]
    holdExcerpt({ page: 'docs/demo.md', name: 'hostile' }, partsOf(story, shown))
    expect(story.match(/^ {5}stopped by {3}/gm)).toHaveLength(Number(attempts))
    expect(story.match(/^ {5}it hears {5}[A-Z_]+: /gm)).toHaveLength(Number(attempts))
    // Prices: what an accomplice with millions makes pools say, and what comes of it.
    for (const [title, code] of [
      ['Park a pool at one dollar', 'SPENDING_LIMIT_EXCEEDED'],
      ['Push the pool, then buy in it', 'PRICE_IMPACT_EXCEEDED'],
      ['Leave room for somebody else', 'VALUE_LOSS_EXCEEDED'],
      ['Open a pool at a wrong price', 'POOL_PRICE_OFF_MARKET'],
      ['Push the pool under an approved plan', 'SIMULATION_DRIFT'],
    ] as const) {
      expect(story).toMatch(new RegExp(`^ {5}${title} +${code}$`, 'm'))
      expect(story).toMatch(new RegExp(`\\d\\. ${title}\\n[^>]*agent >[^>]*it hears +${code}: \\S`))
    }
    expect(story.match(/^ {5}accomplice {3}/gm)).toHaveLength(3)
    // What is done over and over is told once.
    expect(story.match(/agent > approve_token /g)).toHaveLength(3)
    expect(story).toMatch(/carried out {2}\d+ times, one call after the other/)
    expect(story).not.toMatch(/\p{Cf}|undefined|NaN/u)
    expect(demo.printed.stderr).toBe('')
    await goneAfter(demo)
    expect(demo.leftFiles()).toEqual([])
  })

  it('fails when a step fails', async () => {
    const demo = start()
    await demo.said(/4\. Add liquidity/)
    const anvil = demo.living().find(({ name }) => name === 'anvil')
    process.kill(anvil!.pid, 'SIGKILL')
    expect(await demo.exited).toBe(1)
    expect(demo.printed.stderr).toMatch(/^svc demo: /m)
    await goneAfter(demo)
    expect(demo.leftFiles()).toEqual([])
  })

  it('can be ended at any time', async () => {
    const demo = start()
    await demo.said(/5\. Let others trade/)
    await sleep(500)
    process.kill(-demo.session, 'SIGINT')
    await goneAfter(demo)
    expect(await demo.exited).toBe(130)
    expect(demo.leftFiles()).toEqual([])
  })

  it('takes no flags', async () => {
    const demo = start(['--fast'])
    expect(await demo.exited).toBe(2)
    expect(demo.printed.stderr).toContain('--fast')
  })
})

/** Where the market moves under a call, the agent tells of it and calls again: no two runs do so alike. */
function withoutRetries(story: string): string {
  return story.replaceAll(/^ {3,5}[A-Z_]+: (?:.+\n)*?.*Again\.\n/gm, '')
}

/** All that a demo printed, where it failed. */
async function failureOf({ exited, printed }: ReturnType<typeof start>): Promise<string | null> {
  const code = await exited
  return code === 0 ? null : `exit code ${code}\n${printed.stdout}\n${printed.stderr}`
}
