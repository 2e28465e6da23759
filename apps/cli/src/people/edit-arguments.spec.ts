import { describe, expect, it } from '@jest/globals';
import { editableOf } from './edit-arguments.js';

describe('what is edited of a call', () => {
  it.each([
    ['write_file', { path: 'src/a.test.ts', content: 'one\n"two"\n' }, 'one\n"two"\n', '.ts', 'content'],
    ['edit_file', { path: 'Makefile', oldText: 'a', newText: 'b' }, 'b', '.txt', 'newText'],
    ['write_file', { path: 'x.$(id)', content: 'c' }, 'c', '.txt', 'content'],
    ['run_command', { command: 'echo 1\necho 2', cwd: '.' }, 'echo 1\necho 2', '.sh', 'command'],
  ])('is the long text of %s %j, and the rest stays as it is', (tool, args, text, ending, name) => {
    const editable = editableOf(tool, args);
    expect(editable).toMatchObject({ text, ending });
    expect(editable.argumentsWith(text)).toEqual(args);
    expect(editable.argumentsWith('mine')).toEqual({ ...args, [name]: 'mine' });
  });

  it('gets no line end that only the editor added', () => {
    expect(editableOf('write_file', { path: 'a', content: 'x' }).argumentsWith('y\n')).toMatchObject({
      content: 'y',
    });
    expect(editableOf('write_file', { path: 'a', content: 'x\n' }).argumentsWith('y\n')).toMatchObject({
      content: 'y\n',
    });
  });

  it('is all of it as JSON where no text stands out, and what is none is an error', () => {
    const editable = editableOf('fetch_url', { url: 'https://a.test' });
    expect(editable).toMatchObject({ text: '{\n  "url": "https://a.test"\n}\n', ending: '.json' });
    expect(editable.argumentsWith('{"url":"b"}')).toEqual({ url: 'b' });
    expect(() => editable.argumentsWith('{')).toThrow(SyntaxError);
    expect(editableOf('write_file', { content: 1 }).ending).toBe('.json');
  });
});
