import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chains } from '@svc/wallet/core'
import { afterAll, describe, expect, test } from 'vitest'
import { mergeChainsFile } from './chains-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'chains-file-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('mergeChainsFile', () => {
  test('leaves rows of the built-in table as they are, with all that they name', () => {
    const [row] = chains
    expect(mergeChainsFile(written([]), chains)).toEqual({ chains })
    expect(mergeChainsFile(written([{ id: row?.id, confirmations: 9 }]), chains)).toEqual({
      chains: chains.map((chain) => (chain === row ? { ...chain, confirmations: 9 } : chain)),
    })
  })

  test('takes price sources and a sequencer feed as the table has them, with bounds as digits', () => {
    const base = chains.find(({ id }) => id === 8453)
    const weth = base?.wrappedNative
    const feed = { ...weth?.priceSources?.feed, minAnswer: '1', maxAnswer: '1000000000000' }
    const wrappedNative = { ...weth, priceSources: { ...weth?.priceSources, feed } }
    const read = mergeChainsFile(written([{ ...base, wrappedNative }]), [])
    const bounded = { ...feed, minAnswer: 1n, maxAnswer: 1_000_000_000_000n }
    expect(read).toEqual({
      chains: [{ ...base, wrappedNative: { ...weth, priceSources: { ...weth?.priceSources, feed: bounded } } }],
    })
  })

  test('refuses a source that says too little or too much, by its place', () => {
    const pool = { version: 'v5', id: '0x12', quote: '0x12', fee: 500 }
    const wrappedNative = { ...chains[0]?.wrappedNative, priceSources: { pools: [pool] } }
    const read = mergeChainsFile(written([{ id: 1, wrappedNative }]), chains)
    const messages = 'problems' in read ? read.problems.map(({ message }) => message.split(' ')[0]) : []
    expect(messages).toEqual(
      ['version', 'id', 'quote'].map((member) => `[0.wrappedNative.priceSources.pools.0.${member}]`),
    )
  })
})

function written(rows: readonly unknown[]): string {
  const path = join(directory, 'chains.json')
  writeFileSync(path, JSON.stringify(rows))
  return path
}
