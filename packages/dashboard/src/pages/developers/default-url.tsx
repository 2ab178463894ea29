import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'

/** The one webhook URL of the profile, which older integrations set over the API. While it has none, it is no endpoint of the list. */
export function DefaultUrl() {
  const place = usePlace()
  const [url, setUrl] = useState('')
  const save = useAction({
    run: (wanted: string) => merchantApi(place)('putWebhookUrl', { body: { url: wanted } }),
    done: () => 'Webhook URL of the profile set',
    changes: [
      ['endpoints', place],
      ['user', place],
    ],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(url.trim())
  }
  return (
    <Card about="not set; signed with the secret of your profile" title="Webhook URL of the profile">
      <form className="grid gap-3" onSubmit={submit}>
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            className="min-w-[220px] flex-1"
            inputMode="url"
            label="Profile URL"
            onChange={(event) => setUrl(event.target.value)}
            placeholder="https://api.example.com/hooks"
            problem={problemOf(save.error, 'url')}
            required
            value={url}
          />
          <Button className="h-9" isBusy={save.isBusy} type="submit">
            Set the URL
          </Button>
        </div>
        <ActionProblem error={save.error} />
      </form>
    </Card>
  )
}
