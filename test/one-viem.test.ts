import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

// A copy of its own would stand beside that of the application, whose clients and accounts are of other types then.
test.each(['wallet', 'test-utils'])(
  '@svc/%s takes the viem of its application, up to the one it is built with',
  (name) => {
    const { devDependencies, overrides } = manifestOf('.')
    const { dependencies, peerDependencies } = manifestOf(join('packages', name))
    expect(dependencies).not.toHaveProperty('viem')
    // The range ends at the exact version that is pinned and tested here: a newer one is untested with what signs and sends.
    const tested = devDependencies?.['viem']
    expect(overrides?.viem).toBe(tested)
    expect(peerDependencies?.['viem']).toMatch(/^>=2\.\d+\.\d+ <=2\.\d+\.\d+$/)
    expect(peerDependencies?.['viem']?.split('<=')[1]).toBe(tested)
    const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
    expect(readme).toContain(`ends at ${tested}, the version that it is tested with`)
  },
)

type Manifest = Readonly<
  Record<'dependencies' | 'devDependencies' | 'peerDependencies', Readonly<Record<string, string>> | undefined>
> & { readonly overrides?: { readonly viem: string } }

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}
