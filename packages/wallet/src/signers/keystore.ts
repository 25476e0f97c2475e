import { bytesToHex, isAddress, isAddressEqual, type Hex, type Address, hexToBytes, isHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { Secret } from '../secret.ts'
import { WalletError } from '../wallet-error.ts'
import { type Environment, type KeystorePassphrase, readPassphrase, readOwnFile } from './passphrase.ts'
import { randomUUID } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { writeWhole } from '../write-whole.ts'
import { createLocalSigner } from './local-signer.ts'

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

/**
 * Writes a keystore (Web3 Secret Storage, version 3; scrypt) of mode 0600 that is whole and durable before the promise
 * resolves, and gives its address. A file that is there is kept, since it may be the only copy of a key, unless `replace`
 * is set. Throws `VALIDATION_PRIVATE_KEY_INVALID`, `VALIDATION_CONFIG_INVALID`, `KEYSTORE_NOT_WRITTEN`.
 */
export async function writeKeystore(
  path: string,
  key: string | Secret,
  passphrase: KeystorePassphrase,
  options: WriteKeystoreOptions = {},
): Promise<Address> {
  const { replace = false, environment = process.env } = options
  const address = await createLocalSigner(key).getAddress()
  const text = await encrypt(key, await readPassphrase(passphrase, environment))
  const beside = `${path}.${randomUUID()}.new`
  try {
    // A link refuses a name that is taken, a renamed file takes its place.
    await writeWhole(path, text, beside, replace ? rename : link)
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const message = isTaken ? `There is a file ${path} already, which is kept.` : `The file ${path} was not written.`
    throw new WalletError('KEYSTORE_NOT_WRITTEN', message, { cause, details: { path } })
  } finally {
    await rm(beside, { force: true })
  }
  return address
}

/** How a keystore is written. */
export type WriteKeystoreOptions = {
  /** Whether a file of this name may be replaced: the key in it is lost. */
  readonly replace?: boolean
  readonly environment?: Environment
}

/** 2^17 with r 8 and p 1: a second, and 128 MB, for every guess. */
const scryptCost = 131_072

async function encrypt(key: string | Secret, passphrase: string): Promise<string> {
  const { Wallet } = await import('@ethereumjs/wallet')
  const text = key instanceof Secret ? key.reveal() : key
  if (!isHex(text))
    throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', 'privateKey is not valid.', {
      details: { field: 'privateKey' },
    })
  const wallet = Wallet.fromPrivateKey(hexToBytes(text))
  return `${await wallet.toV3String(passphrase, { kdf: 'scrypt', n: scryptCost, r: 8, p: 1 })}\n`
}
