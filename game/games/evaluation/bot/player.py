"""The bot of Evaluation Domino: places what it expects to fall and others doubt, calls and votes by expected chips."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game.bots.bot import BotSeat, ProgressCallback, Turn, own_chance
from game.core import Seat
from game.games.evaluation.bot.candidates import candidates, row_after
from game.games.evaluation.bot.chips import EVEN, Others, Stakes, placing_worth, vote_worth
from game.games.evaluation.bot.judgement import RowJudge
from game.games.evaluation.bot.strengths import SKILLS, Skill
from game.games.evaluation.moves import Call, Move, Pass, Stand, Vote
from game.games.evaluation.placements import Row
from physics.line import Placement
from physics.tiles import Stance

CALL_MARGIN = 0.1  # chips that a call must be worth: being wrong about a row is easy
CALLER_FAILS = 0.9  # how likely who called votes for failure: success would win a caller nothing
MISTAKEN = 0.5  # how much less likely others are to be wrong about a row than it looks: they have eyes as well
FOOLED = 0.3  # the same of those who judge a row that was placed to look doubtful
LEADER, CHASER = Stakes(0.7, 1.0), Stakes(1.0, 0.7)  # in the last round
NEXT_ROWS = 12  # placements that are tried for the next player
LOOKED_AHEAD = 6  # of the own candidates
FORESEEN = 0.5  # how far the worth of a look ahead is trusted


@dataclass(frozen=True, slots=True)
class Table:
    """What the bot takes from its view."""

    row: Row
    phase: str
    seat: Seat
    placer: Seat
    caller: Seat | None
    forced: bool
    round: int
    rounds: int
    chips: tuple[int, ...]

    @property
    def free_voters(self) -> list[Seat]:
        """Those who may vote as they like, without this seat."""
        return [other for other in range(len(self.chips)) if other not in (self.seat, self.placer)]

    @property
    def places_next(self) -> bool:
        """Whether it is this seat's turn to place when the round goes on."""
        return (self.placer + 1) % len(self.chips) == self.seat

    @property
    def stakes(self) -> Stakes:
        """In the last round a lead is kept rather than enlarged, and who is behind has nothing to lose."""
        lead = self.chips[self.seat] - max(had for seat, had in enumerate(self.chips) if seat != self.seat)
        if self.round < self.rounds or lead == 0:
            return EVEN
        return LEADER if lead > 0 else CHASER


def table_from_view(view: Mapping[str, Any], seat: Seat) -> Table:
    """The view as values."""
    return Table(
        row=row_from_view(view),
        phase=view["phase"],
        seat=seat,
        placer=view["active"],
        caller=view["caller"],
        forced=view["forced"],
        round=view["round"],
        rounds=view["rounds"],
        chips=tuple(view["chips"]),
    )


def row_from_view(view: Mapping[str, Any]) -> Row:
    """The row as it is shown, in m and rad."""
    return tuple(
        Placement(tile["value"], tile["x"] / 1e3, tile["y"] / 1e3, math.radians(tile["yaw"]), Stance(tile["stance"]))
        for tile in view["row"]
    )


def make_bot(place: BotSeat) -> EvaluationBot:
    """A bot for one seat of one match."""
    skill = SKILLS[place.strength]
    judge = RowJudge(skill, place.seed, place.seat, place.engine_name, place.executor)
    return EvaluationBot(skill, place.seed, place.seat, judge)


class EvaluationBot:
    """A player with an eye, a judgement and a sense of chips."""

    def __init__(self, skill: Skill, seed: int, seat: Seat, judge: RowJudge) -> None:
        self.skill, self.seed, self.seat, self.judge = skill, seed, seat, judge

    @property
    def runs(self) -> int:
        """Full simulations so far."""
        return self.judge.runs

    def choose(self, turn: Turn, thinking: ProgressCallback | None = None) -> Move:
        """A move that the rules allow; EngineError when a simulation breaks down."""
        table = table_from_view(turn.view, turn.seat)
        found: Move = turn.moves[0]
        if table.phase == "build":
            found = self._place(table, turn, thinking)
        elif len(turn.moves) > 1 and table.phase == "call":
            found = Call() if self._call_pays(table, turn.number, thinking) else Pass()
        elif len(turn.moves) > 1 and table.phase == "vote":
            found = Vote(self._success_pays(table, turn.number, thinking))
        if thinking is not None:
            thinking(1.0)
        return found

    # Calls and votes

    def _call_pays(self, table: Table, number: int, thinking: ProgressCallback | None) -> bool:
        falls = self.judge.falls(table.row, table.round, thinking)
        others = self._others(table, falls, None)
        going_on = self._going_on(table, number)
        worth = max(
            vote_worth(success, falls, others, going_on=going_on, stakes=self.stakes(table))
            for success in (True, False)
        )
        return worth > going_on + CALL_MARGIN

    def _success_pays(self, table: Table, number: int, thinking: ProgressCallback | None) -> bool:
        falls = self.judge.falls(table.row, table.round, thinking)
        others = self._others(table, falls, None if table.forced else table.caller)
        going_on = self._going_on(table, number)
        success, failure = (
            vote_worth(side, falls, others, going_on=going_on, forced=table.forced, stakes=self.stakes(table))
            for side in (True, False)
        )
        return success >= failure

    def _others(self, table: Table, falls: float, caller: Seat | None) -> Others:
        """How the other free voters may vote: as this one judges, or also as the row may look to them."""
        fails = 1 - falls
        if self.skill.foresight and table.free_voters:
            fails = (fails + float(self.judge.doubted([table.row], table.round)[0])) / 2
        return Others(
            tuple(CALLER_FAILS if other == caller else fails * MISTAKEN for other in table.free_voters),
            tuple(CALLER_FAILS if other == caller else 1 - (1 - fails) * MISTAKEN for other in table.free_voters),
        )

    def _going_on(self, table: Table, number: int) -> float:
        """What it is worth when nobody calls: nothing, unless this seat is next and has no good place left."""
        if not (self.skill.foresight and table.places_next) or table.forced:
            return 0.0
        generator = own_chance(self.seed, self.seat, number, "next")
        rows = list(candidates(table.row, generator, self.skill.candidates).values())
        if not rows:
            return 0.0
        falls = float(self.judge.glance(rows, table.round).max())
        return min(0.0, placing_worth(falls, _all_doubt(table)))

    def stakes(self, table: Table) -> Stakes:
        """What chips matter to this bot at that moment."""
        return table.stakes if self.skill.foresight else EVEN

    # Placements

    def _place(self, table: Table, turn: Turn, thinking: ProgressCallback | None) -> Stand:
        generator = own_chance(self.seed, self.seat, turn.number, "place")
        offered: list[Stand] = list(turn.moves)
        offers = generator.sample(offered, min(self.skill.offers, len(offered)))
        rows = {stand: row_after(table.row, stand) for stand in offers}
        own = candidates(table.row, generator, self.skill.candidates)
        rows |= {stand: row for stand, row in own.items() if turn.allowed(stand)}
        stands, choices = list(rows), _Choices(self, table, list(rows.values()))
        return stands[choices.best(thinking)]


class _Choices:
    """Rows that a placement could make, the best one sought with few simulations."""

    def __init__(self, bot: EvaluationBot, table: Table, rows: Sequence[Row]) -> None:
        self._bot, self._table, self._rows = bot, table, rows
        judge, skill = bot.judge, bot.skill
        self._falls = [float(chance) for chance in judge.glance(rows, table.round)]
        self._doubts = (
            [float(share) for share in judge.doubted(rows, table.round)]
            if skill.foresight
            else [1 - falls for falls in self._falls]
        )
        self._going_on = [0.0] * len(rows)
        if skill.foresight:
            for index in sorted(range(len(rows)), key=self._worth, reverse=True)[:LOOKED_AHEAD]:
                self._going_on[index] = self._left_to_next(index)

    def best(self, thinking: ProgressCallback | None) -> int:
        """The index of the row to make: whichever seems best is simulated, until it already was or enough were."""
        most, checked = self._bot.skill.checked, set[int]()
        while True:
            index = max(range(len(self._rows)), key=self._worth)
            if index in checked or len(checked) == most:
                return index
            done = len(checked)
            tell = None if thinking is None else lambda share, done=done: thinking((done + share) / most)
            self._falls[index] = self._bot.judge.falls(self._rows[index], self._table.round, tell)
            if not self._bot.skill.foresight:
                self._doubts[index] = 1 - self._falls[index]
            checked.add(index)

    def _worth(self, index: int) -> float:
        count, doubts = len(self._table.chips) - 1, self._doubts[index]
        others = Others((doubts,) * count, (1 - (1 - doubts) * FOOLED,) * count)
        worth = placing_worth(
            self._falls[index], others, going_on=self._going_on[index], stakes=self._bot.stakes(self._table)
        )
        # Where all else is equal, the safer row.
        return worth + 1e-3 * self._falls[index]

    def _left_to_next(self, index: int) -> float:
        """What it is worth to hand this row to the next player, who has to place."""
        generator = own_chance(self._bot.seed, self._bot.seat, self._rows[index], "left")
        rows = list(candidates(self._rows[index], generator, NEXT_ROWS).values())
        if not rows:
            return 0.0
        falls = float(self._bot.judge.glance(rows, self._table.round).max())
        loss = max(0.0, -placing_worth(falls, _all_doubt(self._table)))
        return FORESEEN * loss / (len(self._table.chips) - 1)


def _all_doubt(table: Table) -> Others:
    """Everybody but the one who places calls and votes for failure."""
    return Others((1.0,) * (len(table.chips) - 1), (1.0,) * (len(table.chips) - 1))
