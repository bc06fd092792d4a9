"""Predictions and runs told in words, for terminals and screen readers."""

from __future__ import annotations

from game.progress import bar
from game.words import _, number, plural
from physics.hint import Hint
from physics.outcome import Fate, Outcome, Prediction
from physics.scene import Scene, Tap, Tilt
from physics.tiles import Stance
from physics.wave import fall_span, speed_of

FIRM = 0.95  # from here on no "probably" is said
SHOWN_TILES = 60  # a longer line is summed up


def percent(share: float) -> str:
    """A share as people say it: never 100 % or 0 % unless every run, or none, said so."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 < share < 1:
        return ">99 %"
    return f"{share:.0%}".replace("%", " %")


def verdict_words(prediction: Prediction) -> str:
    """The verdict as a sentence, as firm as the probability is."""
    if prediction.verdict == "unsure":
        return _("Too close to call.")
    if prediction.verdict == "falls":
        return _("It will fall.") if prediction.probability > FIRM else _("It will probably fall.")
    if prediction.probability < 1 - FIRM:
        return _("It will not fall completely.")
    return _("It will probably not fall completely.")


def stance_words(stance: Stance) -> str:
    """The stance as a word."""
    return _("upright") if stance is Stance.UPRIGHT else _("on its side")


def push_words(scene: Scene) -> str:
    """How and where the row is set going."""
    value = scene.line.values[scene.pushed]
    if isinstance(scene.push, Tilt):
        return _("a tilting table")
    if isinstance(scene.push, Tap):
        impulse = f"{scene.push.impulse * 1e3:g}"
        return _("a tap of {impulse} mN·s at tile {value}").format(impulse=impulse, value=value)
    return _("a light finger at tile {value}").format(value=value)


def fate_words(fate: Fate) -> str:
    """How a tile ended, as a word."""
    return {Fate.STANDING: _("standing"), Fate.LEANING: _("leaning"), Fate.FALLEN: _("fallen")}[fate]


def prediction_words(name: str, scene: Scene, prediction: Prediction) -> str:
    """The whole prediction: a bar, the tiles with their chances, the weak gap, what it rests on."""
    low, high = prediction.interval
    lines = [
        f"{name}: " + plural("{count} tile", "{count} tiles", len(scene.line)) + ", " + push_words(scene),
        "",
        f"  {percent(prediction.probability):>5}  {bar(prediction.probability, 40)}  {verdict_words(prediction)}",
        "  "
        + _("between {low} and {high}, with {confidence} confidence").format(
            low=percent(low), high=percent(high), confidence=percent(prediction.confidence)
        ),
        "",
        *_tile_rows(scene, prediction),
    ]
    if prediction.weakest_at is not None:
        at = prediction.weakest_at
        one, other = prediction.values[at], prediction.values[at + 1]
        gap = scene.line.gaps()[at] * 1e3
        lines.append(
            _("Weakest gap: between {one} and {other} ({gap} mm of air).").format(
                one=one, other=other, gap=f"{gap:.1f}"
            )
        )
    if len(prediction.by_engine) > 1:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in prediction.by_engine)
        lines.append(_("Each engine by itself: {shares}.").format(shares=shares))
    runs = plural("{count} run", "{count} runs", prediction.samples)
    lines.append(
        _("{runs} in {seconds} s, engine {engine}, seed {seed}.").format(
            runs=runs, seconds=f"{prediction.seconds:.1f}", engine=prediction.engine, seed=prediction.seed
        )
    )
    return "\n".join(lines)


def _tile_rows(scene: Scene, prediction: Prediction) -> list[str]:
    gaps, tilting = (None, *scene.line.gaps()), isinstance(scene.push, Tilt)
    heads = (_("tile"), _("stance"), _("gap"), _("chance to fall"))
    stances = [stance_words(placement.stance) for placement in scene.line.placements]
    wide = max(len(word) for word in (*stances, heads[1]))
    tile_wide = max(len(heads[0]), *(len(str(value)) for value in prediction.values))
    rows = [f"  {heads[0]:>{tile_wide}}  {heads[1]:<{wide}}  {heads[2]:>8}  {heads[3]}"]
    shown = range(len(scene.line))
    if len(scene.line) > SHOWN_TILES:
        shown = range(SHOWN_TILES)
    for index in shown:
        gap = gaps[index]
        air = "–" if gap is None else _("{width} mm").format(width=f"{gap * 1e3:.1f}")
        share = prediction.tile_falls[index]
        mark = "  " + _("← pushed") if index == prediction.pushed and not tilting else ""
        rows.append(
            f"  {prediction.values[index]:>{tile_wide}}  {stances[index]:<{wide}}  {air:>8}  "
            f"{bar(share)} {percent(share):>5}{mark}"
        )
    left = len(scene.line) - len(shown)
    if left:
        rows.append("  " + plural("… and {count} more tile", "… and {count} more tiles", left))
    return [*rows, ""]


def hint_words(hint: Hint, prediction: Prediction) -> str:
    """The hint as a sentence."""
    values, change = prediction.values, hint.change
    chance = f"{hint.probability:.2f}"
    if change.turned is not None:
        sentence = _("Hint: tile {value} stood the other way would make it {chance}.")
        return sentence.format(value=values[change.turned], chance=chance)
    assert change.gap_at is not None
    closer = _("Hint: {distance} mm closer between {one} and {other} would make it {chance}.")
    wider = _("Hint: {distance} mm wider between {one} and {other} would make it {chance}.")
    return (closer if change.shift < 0 else wider).format(
        distance=f"{abs(change.shift) * 1e3:g}",
        one=values[change.gap_at],
        other=values[change.gap_at + 1],
        chance=chance,
    )


def outcome_words(name: str, scene: Scene, outcome: Outcome) -> str:
    """One run told: the verdict, and how each tile ended."""
    fallen = sum(outcome.fallen)
    verdict = _("Every tile fell.") if outcome.all_fell else _("The row did not fall completely.")
    lines = [
        _("{name}: {verdict} {fallen} of {count} tiles are down after {time} s.").format(
            name=name, verdict=verdict, fallen=fallen, count=len(outcome.fates), time=number(outcome.ended, 2)
        )
    ]
    if not outcome.settled:
        lines.append(_("Not everything had come to rest when the time was over."))
    if outcome.tilted:
        degrees = number(outcome.tilted * 57.29577951308232, 1)
        lines.append(_("The table was tilted by {degrees}°.").format(degrees=degrees))
    lines.append(span_words(scene, outcome))
    for value, fate, time in list(zip(scene.line.values, outcome.fates, outcome.fell_at, strict=True))[:SHOWN_TILES]:
        end = fate_words(fate)
        told = end if time is None else _("{fate} at {time} s").format(fate=end, time=number(time, 3))
        lines.append(f"  {value:>6}  {told}")
    return "\n".join(lines)


def speed_words(speed: float) -> str:
    """How fast the wave went, m/s, as a sentence."""
    return _("The wave went along the row at {speed} m/s.").format(speed=number(speed, 2))


def span_words(scene: Scene, outcome: Outcome) -> str:
    """When a run's fall began and ended, and how fast it went along the row; or why there is no such number."""
    span = fall_span(outcome)
    if span is None:
        return _("No tile fell.")
    first, last = (scene.line.values[outcome.fell_at.index(time)] for time in span)
    if sum(time is not None for time in outcome.fell_at) == 1:
        return _("Only the tile {value} fell, after {time} s.").format(value=first, time=number(span[0], 2))
    told = _("The first tile, {first}, fell after {begun} s, the last, {last}, {taken} s later.")
    words = told.format(first=first, begun=number(span[0], 2), last=last, taken=number(span[1] - span[0], 2))
    speed = speed_of(scene, outcome)
    if speed is not None:
        return f"{words} {speed_words(speed)}"
    if isinstance(scene.push, Tilt):
        return f"{words} " + _("On a tilting table no wave goes along the row.")
    return f"{words} " + _("Too few tiles fell one after another to tell how fast the wave went.")
