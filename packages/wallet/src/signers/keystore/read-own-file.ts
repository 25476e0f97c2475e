import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { WalletError } from '../../wallet-error.ts'

/**
 * Reads a small file that holds a secret. Mode and content are of one opened file, so that nobody exchanges it in between.
 * Throws `KEYSTORE_UNSAFE` where group or others have any right to it, `KEYSTORE_INVALID` where it cannot be read.
 */
export async function readOwnFile(path: string): Promise<string> {
  // Without O_NONBLOCK a pipe in place of the file would hold the process until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new WalletError('KEYSTORE_INVALID', `The file ${path} cannot be read.`, { cause })
  })
  try {
    const { mode, size, isFile } = await file.stat().then((stats) => ({
      mode: stats.mode,
      size: stats.size,
      isFile: stats.isFile(),
    }))
    if (!isFile || size > largestBytes) throw new WalletError('KEYSTORE_INVALID', `The file ${path} is no keystore.`)
    // Windows keeps no such bits.
    if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
      throw new WalletError('KEYSTORE_UNSAFE', `Others than the owner have rights to the file ${path}.`)
    }
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

const largestBytes = 64 * 1024
