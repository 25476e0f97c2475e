import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

// A copy of its own would stand beside that of the application, whose clients and accounts are of other types then.
test.each(['wallet', 'test-utils'])(
  '@svc/%s takes the viem of its application, up to the one it is built with',
  (name) => {
    const { devDependencies } = manifestOf('.')
    const { dependencies, peerDependencies } = manifestOf(join('packages', name))
    expect(dependencies).not.toHaveProperty('viem')
    // What is newer is not installed by itself: its companions may be missing from a registry.
    expect(peerDependencies?.['viem']).toMatch(/^>=2\.\d+\.\d+ <=2\.\d+\.\d+$/)
    expect(peerDependencies?.['viem']?.split('<=')[1]).toBe(devDependencies?.['viem'])
  },
)

type Manifest = Readonly<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>> | undefined>
>

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}
