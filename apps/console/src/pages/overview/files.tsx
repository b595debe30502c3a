import { filesSchema } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { bytesText } from '../../design/bytes-text.ts';
import { Problem } from '../../design/views.tsx';

/** Where files are stored, and whether they can be; nothing without a place for them. */
export function FilesPanel() {
  const files = useLive('/admin/files', filesSchema).data.value?.files;
  if (!files) return null;
  const { place, isEncrypted, problem, stored, volume } = files;
  const facts = [
    stored ? `${stored.count.toLocaleString()} stored, ${bytesText(stored.bytes)}` : 'not counted yet',
    isEncrypted ? 'encrypted' : 'not encrypted',
    volume && volume.max > 0 && `volume ${Math.floor((100 * volume.used) / volume.max)} % full`,
  ];
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Files</h2>
        <span class="mono faint clip">{place}</span>
      </div>
      <p class="panel-body">{facts.filter(Boolean).join(', ')}.</p>
      {problem !== undefined && <Problem text={`Nothing can be written there: ${problem}`} />}
    </section>
  );
}
