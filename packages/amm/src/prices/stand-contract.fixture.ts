import type { Devnet } from '@svc/devnet'
import { type Address, concatHex, createTestClient, type Hex, http, numberToHex, size, toFunctionSelector } from 'viem'

/**
 * Puts a contract at an address that answers functions without arguments with words, and reverts at everything else: a feed
 * that says what a test wants.
 */
export async function standContract(devnet: Devnet, address: Address, answers: Answers): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(devnet.rpcUrl) })
  await client.setCode({ address, bytecode: codeOf(answers) })
}

/** Words by the name of the function. */
export type Answers = Readonly<Record<string, readonly bigint[]>>

function codeOf(answers: Answers): Hex {
  const bodies = Object.values(answers).map(bodyOf)
  let at = bodies.length * branchBytes + size(revert)
  const branches = Object.keys(answers).map((name, index) => {
    const branch = branchTo(name, at)
    at += size(bodies[index] ?? '0x')
    return branch
  })
  return concatHex([...branches, revert, ...bodies])
}

const branchBytes = 15

/** If the first four bytes of the input are the selector, on to a place. */
function branchTo(name: string, place: number): Hex {
  const selector = toFunctionSelector(`function ${name}()`)
  return concatHex(['0x5f3560e01c63', selector, '0x1461', numberToHex(place, { size: 2 }), '0x57'])
}

/** Stores the words one after the other and returns them. */
function bodyOf(words: readonly bigint[]): Hex {
  const stores = words.map((word, index) =>
    concatHex([
      '0x7f',
      numberToHex(BigInt.asUintN(256, word), { size: 32 }),
      '0x60',
      numberToHex(index * 32, { size: 1 }),
      '0x52',
    ]),
  )
  return concatHex(['0x5b', ...stores, '0x60', numberToHex(words.length * 32, { size: 1 }), '0x5ff3'])
}

const revert: Hex = '0x5f5ffd'
