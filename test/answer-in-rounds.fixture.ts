import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPublicClient, type Hash, http } from 'viem'
import { vi } from 'vitest'
import type { Trip } from '../bench/parts/round-trips.mjs'
import { methodsIn } from '../packages/engine/src/fixtures/network.fixture.ts'
import type { World } from '../packages/tool-server/src/tools/chain-world.fixture.ts'

/**
 * Answers the endpoint's requests in rounds: all that are asked until nothing more can happen without an answer, and then all of them at
 * once. So what might travel together does, however busy the machine is, and the rounds are the clock.
 */
export function answerInRounds({
  network,
  devnet: { rpcUrl },
}: Pick<World, 'network' | 'devnet'>): () => readonly Trip[] {
  let [round, trips, answered]: [number, Trip[], (() => void)[]] = [0, [], []]
  let asked = 0
  async function close(): Promise<void> {
    for (let [quiet, before] = [0, 0]; quiet < quietTurns; before = asked) {
      await nextTurn()
      const isWriting = process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))
      quiet = answered.length < asked || asked > before || isWriting ? 0 : quiet + 1
    }
    const released = answered
    ;[round, asked, answered] = [round + 1, 0, []]
    for (const release of released) release()
  }
  network.fetch = async (input, init) => {
    const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
    trips.push({ from: round, to: round + 1, methods })
    asked += 1
    if (asked === 1) void close()
    const answer = await (await fetch(input, init)).text()
    if (methods.includes('eth_sendRawTransaction')) await untilMined(rpcUrl, answer)
    await new Promise<void>((resolve) => void answered.push(resolve))
    return new Response(answer, { headers: { 'content-type': 'application/json' } })
  }
  return () => {
    const taken = trips
    trips = []
    return taken
  }
}

/** A transaction that is sent is mined a moment later: whoever waits for it then looks once. */
async function untilMined(rpcUrl: string, answer: string): Promise<void> {
  const { result: hash } = JSON.parse(answer) as { readonly result: Hash }
  const reader = createPublicClient({ transport: http(rpcUrl) })
  await vi.waitFor(() => reader.getTransactionReceipt({ hash }), { timeout: 60_000, interval: 5 })
}

/** Turns of the event loop in which nothing is asked, answered or written: what could go on without an answer has. */
const quietTurns = 50
