import { timeText } from './time-text.ts'

const inSentence = /(\d{2}:\d{2}:\d{2}) UTC on (\d{1,2} [A-Z][a-z]+ \d{4})/g

/** A sentence of the API, which names times as `14:05:10 UTC on 3 March 2027`, with them in this zone: `17:05:10 GMT+3`. */
export function sentenceInZone(sentence: string, zone: string, zoneWord: string): string {
  return sentence.replace(
    inSentence,
    (_, time: string, day: string) => `${timeText(`${day} ${time} UTC`, zone)} ${zoneWord}`,
  )
}
