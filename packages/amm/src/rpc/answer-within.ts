/** An answer, or `late` where it takes longer than `patienceMs`. Whoever asked goes on waiting by itself. */
export async function answerWithin<Answer, Late>(
  asked: Promise<Answer>,
  patienceMs: number,
  late: Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), patienceMs)
  })
  const answer = await Promise.race([asked, passed])
  clearTimeout(timer)
  return answer
}
