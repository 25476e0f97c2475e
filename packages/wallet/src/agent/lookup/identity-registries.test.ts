import { expect, test } from 'vitest'
import { identityRegistries } from './identity-registries.ts'
import { openRegistry } from './open-registry.ts'

const mainnet = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
const testnet = '0x8004A818BFB912233c491871b3d84c89A494BD9e'

// Written out, not reckoned: a registry at another address would take the fees and give nobody an identity.
const matrix = [
  [1, mainnet, 'registration'],
  [11155111, testnet, 'testing'],
  [8453, mainnet, 'primary'],
  [137, mainnet, 'registration'],
  [84532, testnet, 'testing'],
  [10, mainnet, 'pending'],
  [42161, mainnet, 'pending'],
  [56, mainnet, 'pending'],
  [43114, mainnet, 'pending'],
  [42220, mainnet, 'pending'],
  [81457, null, 'pending'],
  [130, null, 'pending'],
  [324, null, 'pending'],
] as const

test('the table has the thirteen chains of the matrix and no other', () => {
  const rows = matrix.map(([id, identity, support]) => [id, { identity, support, form: 'erc8004-v1' }])
  expect(identityRegistries).toEqual(Object.fromEntries(rows))
})

test('the addresses are those that the identity SDK registers at', async () => {
  // A deep path: the package tells of them nowhere else.
  const url = new URL('core/contracts.js', import.meta.resolve('agent0-sdk'))
  const { DEFAULT_REGISTRIES } = (await import(url.href)) as {
    readonly DEFAULT_REGISTRIES: Readonly<Record<number, { readonly IDENTITY: string }>>
  }
  const theirs = Object.entries(DEFAULT_REGISTRIES).map(([id, { IDENTITY }]) => [Number(id), IDENTITY])
  const ours = matrix.filter(([, , support]) => support !== 'pending').map(([id, identity]) => [id, identity])
  expect(new Map(ours as never)).toEqual(new Map(theirs as never))
})

test.each(matrix.filter(([, , support]) => support !== 'pending'))(
  'on chain %s registrations go to %s',
  (chainId, identity) => {
    expect(openRegistry({ chainId, rpcUrls: {} }, {}).registry).toBe(identity)
  },
)

test.each(matrix.filter(([, , support]) => support === 'pending'))(
  'chain %s is not supported yet, whatever is at %s',
  (chainId, knownRegistry) => {
    expect(() => openRegistry({ chainId, rpcUrls: {} }, {})).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_CHAIN_NOT_SUPPORTED',
        details: expect.objectContaining({ chainId, knownRegistry }),
      }),
    )
  },
)
