import { describe, expect, it } from 'vitest'
import { joinObservers } from './observer.ts'

describe('joinObservers', () => {
  it('keeps a listener that throws from the one who tells, and from the other listeners', () => {
    const heard: string[] = []
    const lines: string[] = []
    const broken = (): never => {
      throw new Error('cannot count')
    }
    const whole = {
      audited: () => void heard.push('audited'),
      answered: () => void heard.push('answered'),
      limited: () => void heard.push('limited'),
      rpc: () => void heard.push('rpc'),
    }
    const observers = [{ audited: broken, answered: broken, limited: broken, rpc: broken }, whole]
    const joined = joinObservers(observers, { warn: (event) => void lines.push(event) })
    const answered = { chainId: 1, place: 0, isPrivate: false, method: 'eth_call', outcome: 'answered', ms: 1 } as const
    joined.audited?.({ event: 'tx.settled' })
    joined.answered?.({ path: '/mcp', method: 'POST', status: 200, kind: 'answer', ms: 1 })
    joined.limited?.('token')
    joined.rpc?.({ ...answered, headAtSeconds: null })
    expect(heard).toEqual(['audited', 'answered', 'limited', 'rpc'])
    expect(lines).toEqual(Array.from({ length: 4 }, () => 'observer.failed'))
  })

  it('has no member that nobody listens to', () => {
    const joined = joinObservers([{ limited: () => {} }, {}], { warn: () => {} })
    expect(Object.entries(joined).flatMap(([name, member]) => (member === undefined ? [] : [name]))).toEqual([
      'limited',
    ])
  })
})
