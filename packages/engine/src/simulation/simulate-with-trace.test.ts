import { createPublicClient, custom, type Hex } from 'viem'
import { expect, it } from 'vitest'
import type { SimulatedFrom } from './asset-changes.ts'
import { simulateWithTrace } from './simulate-with-trace.ts'

const wallet = '0x00000000000000000000000000000000000000a1'
const delegation: Hex = '0xef0100'

/** The codes that stand at the wallet's address in what an endpoint is asked. */
async function codesAsked(assumed: Pick<SimulatedFrom, 'code' | 'isUnsigned'>): Promise<readonly unknown[]> {
  const asked: unknown[] = []
  const request = ({ params }: { readonly params: readonly [{ readonly blockStateCalls: readonly Block[] }] }) => {
    asked.push(...params[0].blockStateCalls.map(({ stateOverrides }) => stateOverrides?.[wallet]?.code))
    return Promise.resolve([{ calls: [] }])
  }
  const client = createPublicClient({ transport: custom({ request }) })
  await simulateWithTrace(client, { wallet, block: { number: 1n }, atSeconds: 1, ...assumed }, [])
  return asked
}

type Block = { readonly stateOverrides?: Readonly<Record<string, { readonly code: Hex }>> }

it('puts the code of a batch, or of a wallet that has signed, where the wallet stands, and else none', async () => {
  expect(await codesAsked({})).toEqual([undefined])
  expect(await codesAsked({ isUnsigned: false, code: delegation })).toEqual([delegation])
  const [signed] = await codesAsked({ isUnsigned: true })
  expect(signed).toContain('1626ba7e')
})

it('takes one of them for no other: a batch that wants a signature is refused', async () => {
  await expect(codesAsked({ isUnsigned: true, code: delegation })).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' })
})
