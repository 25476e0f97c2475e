import { access, constants, stat } from 'node:fs/promises'
import { createOwedAllowances } from '@svc/engine'
import type { SetupReport } from '../tool.ts'

/** Whether the data directory can be written and is closed to others. Without a wallet it need not exist. */
export async function checkDataDir(path: string, needed: boolean): Promise<SetupReport['checks'][number]> {
  const id = 'data-dir'
  const stats = await stat(path).catch(() => null)
  if (stats === null) {
    if (!needed)
      return { id, status: 'pass', message: 'There is no data directory, and none is needed yet.', fix: null }
    return {
      id,
      status: 'fail',
      message: 'The data directory does not exist.',
      fix: 'Create the directory SVC_DATA_DIR names.',
    }
  }
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!stats.isDirectory() || !writable) {
    return {
      id,
      status: 'fail',
      message: 'The data directory cannot be written.',
      fix: 'Give this user the directory.',
    }
  }
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    return { id, status: 'warn', message: 'Others can look into the data directory.', fix: 'Run chmod 700 on it.' }
  }
  const owed = await createOwedAllowances(path)
    .list()
    .then(
      () => null,
      (error: unknown) => error,
    )
  if (owed !== null) {
    return {
      id,
      status: 'fail',
      message: 'owed-allowances.json makes no sense, and nothing is signed until it does.',
      fix: 'See which allowances of the wallet stand, take back what should not, then remove the file.',
    }
  }
  return { id, status: 'pass', message: 'The data directory is private and can be written.', fix: null }
}
