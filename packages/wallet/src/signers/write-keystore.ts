import { randomUUID } from 'node:crypto'
import { link, rename, rm } from 'node:fs/promises'
import { type Address, hexToBytes, isHex } from 'viem'
import { Secret } from '../secret.ts'
import { WalletError } from '../wallet-error.ts'
import { writeWhole } from '../write-whole.ts'
import { type Environment, type KeystorePassphrase, readPassphrase } from './passphrase.ts'
import { createLocalSigner } from './local-signer.ts'

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
