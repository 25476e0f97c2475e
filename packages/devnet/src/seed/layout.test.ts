import { readFileSync } from 'node:fs'
import { getCreate2Address, type Hex, keccak256, pad, toHex } from 'viem'
import { expect, test } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { batchDelegateAddress, create2Factory, createLayout, twammHookSalt, twammInitCode } from './layout.ts'

const { roles, sponsors } = devAccounts()
const { twamm, contracts } = createLayout({ roles, sponsors })

/** beforeInitialize 13, beforeAddLiquidity 11, beforeRemoveLiquidity 9 and beforeSwap 7 of the last fourteen bits. */
const asked = (1n << 13n) | (1n << 11n) | (1n << 9n) | (1n << 7n)

test('the TWAMM hook stands at an address that says what it is asked for', () => {
  expect(addressAt(twammHookSalt)).toBe(twamm.hook)
  const isFitting = (BigInt(twamm.hook) & 0x3fffn) === asked
  // Where the hook's code has changed, this names the salt that fits now.
  expect(isFitting ? twammHookSalt : leastSalt()).toBe(twammHookSalt)
  expect(isFitting).toBe(true)
})

test('the batch delegate stands where the guide for operators says', () => {
  const guide = readFileSync(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')
  expect(guide.split(batchDelegateAddress)).toHaveLength(2)
})

function leastSalt(): Hex {
  let salt = 0
  while ((BigInt(addressAt(pad(toHex(salt)))) & 0x3fffn) !== asked) salt += 1
  return pad(toHex(salt))
}

function addressAt(salt: Hex): string {
  return getCreate2Address({ from: create2Factory, salt, bytecodeHash: keccak256(twammInitCode(contracts)) })
}
