import { bytesToHex, isAddress, isAddressEqual, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { Secret } from '../secret.ts'
import { WalletError } from '../wallet-error.ts'
import { type Environment, type KeystorePassphrase, readPassphrase, readOwnFile } from './passphrase.ts'

/**
 * Opens a keystore (Web3 Secret Storage, version 3), whoever wrote it, and gives the private key as `createLocalSigner`
 * and a local wallet take it. It costs a second or more and is meant for the start of a process. Throws `KEYSTORE_INVALID`,
 * `KEYSTORE_PASSPHRASE_WRONG`, `KEYSTORE_UNSAFE`, or `VALIDATION_CONFIG_INVALID` where there is no passphrase.
 */
export async function openKeystore(
  path: string,
  passphrase: KeystorePassphrase,
  environment: Environment = process.env,
): Promise<Secret> {
  const text = await readOwnFile(path)
  const named = readAddress(text, path)
  const key = await decrypt(text, await readPassphrase(passphrase, environment), path)
  if (named === null || isAddressEqual(named, privateKeyToAddress(key))) return new Secret(key)
  throw new WalletError('KEYSTORE_INVALID', `The file ${path} names another address than its key has.`, {
    details: { path },
  })
}

type Fields = Readonly<Record<string, unknown>>

/** Checks the shape and what opening it would cost: a file may ask for any amount of memory. */
function readAddress(text: string, path: string): Hex | null {
  const { version, crypto, address } = parse(text, path)
  const { kdf, kdfparams } = isFields(crypto) ? crypto : {}
  const { n, r, p, c } = isFields(kdfparams) ? kdfparams : {}
  const isScrypt = kdf === 'scrypt' && isWithin(n, 2 ** 20) && isWithin(r, 32) && isWithin(p, 32)
  const isPbkdf2 = kdf === 'pbkdf2' && isWithin(c, 10_000_000)
  if (version !== 3 || !(isScrypt || isPbkdf2)) throw invalid(path)
  if (typeof address !== 'string') return null
  const named = `0x${address.replace(/^0x/, '')}`
  return isAddress(named, { strict: false }) ? named : null
}

/** Names of fields are written with capitals by some programs. */
function parse(text: string, path: string): Fields {
  try {
    const parsed: unknown = JSON.parse(text.toLowerCase())
    if (isFields(parsed)) return parsed
  } catch {
    // Falls through: the parser's message quotes the file.
  }
  throw invalid(path)
}

async function decrypt(text: string, passphrase: string, path: string): Promise<Hex> {
  const { Wallet } = await import('@ethereumjs/wallet')
  // Some programs take the passphrase as it stands, others (ethers) in Unicode's form NFKC.
  for (const form of new Set([passphrase, passphrase.normalize('NFKC')])) {
    try {
      const opened = await Wallet.fromV3(text, form, true)
      return bytesToHex(opened.getPrivateKey())
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('possibly wrong passphrase'))) throw invalid(path)
    }
  }
  throw new WalletError('KEYSTORE_PASSPHRASE_WRONG', `The passphrase does not open the file ${path}.`, {
    details: { path },
  })
}

function isWithin(value: unknown, largest: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= largest
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function invalid(path: string): WalletError {
  return new WalletError('KEYSTORE_INVALID', `The file ${path} is no keystore of version 3.`, { details: { path } })
}
