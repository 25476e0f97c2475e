import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Whether the operator has stopped signing: a file named `paused` stands in the data directory, whatever it holds. It is
 * looked up anew each time, never remembered. A directory that cannot be read counts as an error, not as a "no".
 */
export async function isPaused(dataDir: string): Promise<boolean> {
  try {
    await lstat(join(dataDir, 'paused'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      // Without the directory itself nobody could have paused: that is a fault, not permission to sign.
      await lstat(dataDir)
      return false
    }
    throw error
  }
}
