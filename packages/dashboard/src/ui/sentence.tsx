import { sentenceInZone } from './sentence-in-zone.ts'
import { zoneChoice, zoneName, zoneWord } from './zone.ts'

/** A sentence of the API with its times in the chosen zone. */
export function Sentence({ text }: { readonly text: string }) {
  const choice = zoneChoice.use()
  return sentenceInZone(text, zoneName(choice), zoneWord(choice))
}
