import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provisionKeys } from './auth/provision-keys.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import type { ToolServer } from './server.ts'
import { connectFirst, connectModern } from './test-server.fixture.ts'

const devnet = useDevnet({ history: true })
let server: ToolServer
let url: string
let key: string

beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-simulations-'))
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  key = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size))).read.reveal()
  server = await openServer(readConfig(environment))
  url = (await server.listen()).url
})
afterAll(() => server.close())

const call = (args: Readonly<Record<string, unknown>> = {}) => ({
  name: 'optimize_lp_range',
  arguments: {
    token0: 'WETH',
    token1: 'USDC',
    chain: String(devnet().chainId),
    amount: '1000',
    simulations: 20_000,
    ...args,
  },
})

type Heard = { readonly progress: number; readonly total?: number | undefined }

describe('a simulation that a client asks for', () => {
  it('tells clients of both SDK generations and both eras how far it is, on the way to one answer', async () => {
    const heard: Heard[][] = [[], [], []]
    const listen = (index: number) => ({ onprogress: (step: Heard) => void heard[index]!.push(step) })
    const first = (await connectFirst(url, key)).client
    const legacy = (await connectModern(url, key, 'legacy')).client
    const modern = (await connectModern(url, key, 'modern')).client
    const answers = [
      (await first.callTool(call(), undefined, listen(0))).structuredContent,
      (await legacy.callTool(call(), listen(1))).structuredContent,
      (await modern.callTool(call(), listen(2))).structuredContent,
    ]
    const paths = 20_480
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatchObject({ pair: 'WETH/USDC', simulation: { seed: 1, paths } })
      expect({ ...(answer as object), timestamp: null }).toEqual({ ...(answers[0] as object), timestamp: null })
      const steps = heard[index]!
      expect(steps.length).toBeGreaterThan(2)
      expect(steps.map(({ progress }) => progress)).toEqual(
        steps.map(({ progress }) => progress).toSorted((a, b) => a - b),
      )
      expect(steps.at(-1)).toMatchObject({ progress: paths, total: paths })
    }
    await Promise.all([first.close(), legacy.close(), modern.close()])
  })

  it('ends when that client cancels, and the next one is served', async () => {
    const { client } = await connectModern(url, key, 'legacy')
    const leave = new AbortController()
    let steps = 0
    const onprogress = () => {
      steps += 1
      leave.abort()
    }
    const left = client.callTool(call({ simulations: 50_000 }), { onprogress, signal: leave.signal })
    expect(
      await left.then(
        () => 'answered',
        () => 'left',
      ),
    ).toBe('left')
    expect(steps).toBeGreaterThan(0)
    const next = await client.callTool(call({ simulations: 100 }))
    expect(next.structuredContent).toMatchObject({ simulation: { seed: 1 } })
    await client.close()
  })
})
