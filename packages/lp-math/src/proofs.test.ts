import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { POSITIONS } from './closed-form/position-proofs.fixture.ts'
import { EXPECTATIONS } from './closed-form/proofs.fixture.ts'
import { NO_CLOSED_FORMS, OTHERS } from './other-proofs.fixture.ts'
import { GRID, type Proof, standardErrorsOff } from './proof.fixture.ts'

const PROOFS: readonly (readonly [string, Proof])[] = Object.entries({ ...POSITIONS, ...EXPECTATIONS, ...OTHERS })

describe('each closed form', () => {
  test('stands in the table, or what it is instead', async () => {
    const exported = await Promise.all(['closed-form', 'fee-model', 'normal', 'volatility'].map(functionsOf))
    const named = [...PROOFS.map(([name]) => name.replace(/,? .*/, '')), ...Object.keys(NO_CLOSED_FORMS)]
    expect([...new Set(named)].toSorted()).toEqual(exported.flat().toSorted())
  })

  test.each(PROOFS.filter(([, { quadrature }]) => typeof quadrature === 'function'))(
    'equals quadrature, for every model and range: %s',
    (_, { says, quadrature, within = 1e-11, least = () => 0, only = () => true }) => {
      const off = GRID.filter(only).flatMap((at) => {
        const [said, integral] = [says(at), typeof quadrature === 'string' ? Number.NaN : quadrature(at)]
        const isNear = Math.abs(said - integral) <= within * Math.max(Math.abs(integral), least(at))
        return isNear ? [] : [`${at.name}: ${said}, by quadrature ${integral}`]
      })
      expect(off).toEqual([])
    },
  )

  test.each(PROOFS.filter(([, { sample }]) => typeof sample === 'function'))(
    'is the mean of samples within four standard errors, for every model and range: %s',
    (_, proof) => {
      const off = GRID.filter(proof.only ?? (() => true)).flatMap((at) => {
        const errors = standardErrorsOff(proof, at)
        return errors < 4 ? [] : [`${at.name}: ${errors} standard errors from ${proof.says(at)}`]
      })
      expect(off).toEqual([])
    },
  )
})

/** The functions that the files of a room export, those left out that only refuse. */
async function functionsOf(room: string): Promise<string[]> {
  const files = readdirSync(new URL(room, import.meta.url)).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
  const modules = await Promise.all(files.map((file) => import(`./${room}/${file.replace('.ts', '')}.ts`)))
  return modules.flatMap((one: object) => Object.keys(one)).filter((name) => !name.startsWith('require'))
}
