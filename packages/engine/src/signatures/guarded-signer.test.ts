import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chains } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { type TypedDataDefinition, verifyTypedData } from 'viem'
import { describe, expect, it } from 'vitest'
import { guardedSigner } from './guarded-signer.ts'
import type { SignatureContext } from './signable.ts'

const chain = chains.find(({ id }) => id === 8453)!
const router = chain.amm.universalRouter!.address
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const wallet = new ServiceWallet({ mode: 'local', privateKey: `0x${'5'.repeat(64)}` })
const context: SignatureContext = {
  chain,
  wallet: wallet.address,
  nowSeconds: 1_800_000_000,
  spenders: new Set([router.toLowerCase()]),
  registries: new Set(),
  reactors: new Set(),
  siweDomains: new Set(),
  grants: [{ kind: 'permit2', token: usdc, spender: router, amount: 5n }],
}
const permit: TypedDataDefinition = {
  domain: { name: 'Permit2', chainId: chain.id, verifyingContract: chain.permit2 },
  types: {
    PermitSingle: [
      { name: 'details', type: 'PermitDetails' },
      { name: 'spender', type: 'address' },
      { name: 'sigDeadline', type: 'uint256' },
    ],
    PermitDetails: [
      { name: 'token', type: 'address' },
      { name: 'amount', type: 'uint160' },
      { name: 'expiration', type: 'uint48' },
      { name: 'nonce', type: 'uint48' },
    ],
  },
  primaryType: 'PermitSingle',
  message: {
    details: { token: usdc, amount: 5n, expiration: 1_800_000_060, nonce: 0 },
    spender: router,
    sigDeadline: 1_800_000_060n,
  },
}

it('signs what is granted, so that the chain takes it for the signature of the wallet', async () => {
  const signature = await guardedSigner(wallet).signGranted(permit, context)
  expect(await verifyTypedData({ ...permit, address: wallet.address, signature })).toBe(true)
})

it('signs nothing without a grant, and asks the wallet nothing', async () => {
  let asked = 0
  const counting = {
    address: wallet.address,
    signTransaction: wallet.signTransaction.bind(wallet),
    signAuthorization: wallet.signAuthorization.bind(wallet),
    signTypedData: async () => `0x${(asked += 1)}` as const,
  }
  const signing = guardedSigner(counting).signGranted(permit, { ...context, grants: [] })
  await expect(signing).rejects.toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  expect(asked).toBe(0)
})

describe('a delegation of the wallet', () => {
  const delegate = router
  const signer = guardedSigner(wallet, (chainId) => (chainId === 8453 ? delegate : undefined))

  it('is signed to the batch delegate that the policy names on the chain', async () => {
    const signed = await signer.signAuthorization({ contractAddress: delegate, chainId: 8453, nonce: 7 })
    expect(signed).toMatchObject({ address: delegate, chainId: 8453, nonce: 7 })
  })

  it.each([
    ['to other code', { contractAddress: wallet.address, chainId: 8453, nonce: 7 }],
    ['on every chain', { contractAddress: delegate, chainId: 0, nonce: 7 }],
    ['on another chain', { contractAddress: delegate, chainId: 1, nonce: 7 }],
  ])('%s is refused', async (_what, authorization) => {
    await expect(signer.signAuthorization(authorization)).rejects.toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })

  it('is refused where nobody named a delegate', async () => {
    const signing = guardedSigner(wallet).signAuthorization({ contractAddress: delegate, chainId: 8453, nonce: 7 })
    await expect(signing).rejects.toMatchObject({ code: 'SIGNATURE_NOT_ALLOWED' })
  })
})

it('signs the copy it checked, whatever becomes of the original', async () => {
  const spenders: unknown[] = []
  const slow = {
    address: wallet.address,
    signTransaction: wallet.signTransaction.bind(wallet),
    signAuthorization: wallet.signAuthorization.bind(wallet),
    signTypedData: async (typedData: TypedDataDefinition) => {
      await Promise.resolve()
      spenders.push(Reflect.get(typedData.message, 'spender'))
      return '0x' as const
    },
  }
  const message = { ...permit.message }
  const signing = guardedSigner(slow).signGranted({ ...permit, message }, context)
  message['spender'] = wallet.address
  await signing
  expect(spenders).toEqual([router])
})

it('is the only place in the server that reaches the signatures of a wallet', () => {
  const packages = join(import.meta.dirname, '../../..')
  const sources = ['amm', 'engine', 'tool-server']
    .flatMap((name) =>
      readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${name}/src/${file}`,
      ),
    )
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture|test-d)\.ts$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(packages, name), 'utf8') }))
  const holding = (pattern: RegExp) => sources.flatMap(({ name, text }) => (pattern.test(text) ? [name] : []))
  expect(holding(/\bsignTypedData\b|\bsignMessage\b|\bsignHash\b/)).toEqual([
    'engine/src/signatures/guarded-signer.ts',
    // Asks a wallet that was just made for one signature that its own policy must refuse.
    'tool-server/src/provisioning/obtain-wallet.ts',
  ])
  expect(holding(/new ServiceWallet\(|viem\/accounts/)).toEqual([
    'tool-server/src/open-wallet.ts',
    'tool-server/src/provisioning/obtain-wallet.ts',
  ])
  expect(holding(/\boptions\.wallet\b/)).toContain('engine/src/open-engine.ts')
  expect(sources.find(({ name }) => name === 'engine/src/open-engine.ts')?.text).toContain(
    'guardedSigner(options.wallet,',
  )
})
